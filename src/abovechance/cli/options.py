"""Options that several commands share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from abovechance.errors import AboveChanceError
from abovechance.settings import Declared, every_setting, settings_of

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def stack(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator, in reading order."""

    def apply(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


def examples(*lines: str) -> str:
    """What stands below the help of a command: lines to type, without the name of the program."""
    shown = "".join(f"  abovechance {line}\n" for line in lines)
    return f"\b\nExamples:\n{shown}"


def apart(given: dict[str, Any], *groups: Callable[..., Any]) -> list[dict[str, Any]]:
    """What was given to each group of options, and then all the rest.

    Options are named as the functions below name their arguments, so that the rest is passed on
    as it is: a new option needs to be written once.
    """
    left = dict(given)
    found = []
    for group in groups:
        names = {p.name for p in _parameters(group)}
        found.append({name: left.pop(name) for name in list(left) if name in names})
    return [*found, left]


def _parameters(group: Callable[..., Any]) -> list[click.Parameter]:
    def command() -> None: ...

    return list(getattr(group(command), "__click_params__", ()))


def names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    """A comma-separated list; commas inside brackets belong to the name."""
    if value is None:
        return None
    from abovechance.measures.measure import separate

    return separate(value)


sheet = click.option("--sheet", metavar="NAME", help="The sheet of a workbook to read.")
columns = stack(
    sheet,
    click.option("--outcome", metavar="COL", help="Observed classes or numbers."),
    click.option("--probability", metavar="COL", help="Probability of the positive class."),
    click.option(
        "--probabilities", metavar="COLS", callback=names, help="One column per class, p_<class>."
    ),
    click.option("--score", metavar="COL", help="A score, higher for the positive class."),
    click.option("--label", metavar="COL", help="Predicted class."),
    click.option("--value", metavar="COLS", callback=names, help="Predicted number or numbers."),
    click.option("--time", metavar="COL", help="Time of the event or of censoring."),
    click.option("--event", metavar="COL", help="1 where the event happened, 0 where censored."),
    click.option("--risk", metavar="COL", help="Predicted risk, higher for earlier events."),
    click.option("--predicted-time", metavar="COL", help="Predicted time of the event."),
    click.option(
        "--survival", metavar="COLS", callback=names, help="Predicted S(t), columns S_<t>."
    ),
    click.option("--positive", metavar="LABEL", help="The positive class."),
    click.option(
        "--threshold", type=float, help="A label is positive above it; 0.5 for probabilities."
    ),
    click.option("--id", "id_", metavar="COL", help="Names the cases."),
    click.option("--groups", metavar="COL", help="Clusters: subject, site, …"),
    click.option("--fold", metavar="COL", help="Cross-validation fold."),
    click.option("--repeat", metavar="COL", help="Repeat of the cross-validation."),
    click.option("--weight", metavar="COL", help="Sampling weight."),
    click.option("--counts", metavar="COL", help="Number of cases a row stands for."),
    click.option("--order", metavar="COL", help="When a case was observed: numbers or dates."),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "drop"]),
        default="refuse",
        show_default=True,
        help="What to do with cases that miss a value.",
    ),
    click.option(
        "--origin",
        type=click.Choice(["test", "cv", "repeated_cv"]),
        help="Where the predictions came from; seen from --fold when not given.",
    ),
)

measures = click.option(
    "--measures", metavar="A,B,…", callback=names, help="Names of measures; all when not given."
)


def writable(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A file that can be written, asked before hours are spent on what it shall hold."""
    from abovechance.paths import place, written

    if value is not None:
        path = place(value)
        with written(path):
            if path.is_dir():
                raise click.BadParameter(f"must be a file; {value!r} is a folder.")
            if not path.parent.is_dir():
                raise click.BadParameter(f"its folder {str(path.parent)!r} does not exist.")
    return value


def picture_file(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A file that a picture can be written to, asked before any work is done."""
    if value is not None:
        from abovechance.plots.plotting import drawable

        writable(ctx, param, value)
        drawable(value)
    return value


def picture_kept(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """A file for a picture, kept until there is something to draw."""
    ctx.meta[PICTURE] = picture_file(ctx, param, value)


def without_cases(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Whether cases stay out of the report, kept until it is written."""
    ctx.meta[NO_CASES] = value


PICTURE, NO_CASES = "abovechance: picture", "abovechance: no cases"
report = stack(
    click.option(
        "--report",
        metavar="FILE.html",
        callback=writable,
        help="Also write a self-contained HTML report.",
    ),
    click.option(
        "--no-cases",
        is_flag=True,
        expose_value=False,
        callback=without_cases,
        help="Keep out of the report what shows single cases, before it is mailed.",
    ),
    click.option(
        "--picture",
        metavar="FILE",
        expose_value=False,
        callback=picture_kept,
        help="Also draw the result: .svg, .png or .pdf. Other pictures: abovechance plot.",
    ),
)
output = click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json", "csv"]),
    default="text",
    show_default=True,
    help="How to print the result.",
)


def cluster_kept(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Remember the cluster until the number of workers is read; both make one answer."""
    ctx.meta[CLUSTER] = value


def where(ctx: click.Context, param: click.Parameter, value: int | None) -> Any:
    """So many processes, or the cluster, which stays open until the command ends."""
    cluster = ctx.meta.get(CLUSTER)
    if cluster is None:
        return "auto" if value is None else value
    if cluster != "local" and value is not None:
        raise click.BadParameter("a scheduler at an address has its own workers; leave it out.")
    from abovechance.resampling import Dask

    return ctx.with_resource(Dask(cluster, workers=2 if value is None else value))


CLUSTER = "abovechance: cluster"
cluster = click.option(
    "--cluster",
    metavar="ADDRESS",
    is_eager=True,
    expose_value=False,
    callback=cluster_kept,
    help="Work on Dask: tcp://host:port of a scheduler, or 'local' for one on this machine.",
)


def settings(
    *verbs: str, only: Sequence[str] = (), **changed: Mapping[str, Any]
) -> Callable[[Decorated], Decorated]:
    """An option for each setting that the verbs of a command take, as it is declared.

    `only` some of them, if said so. `changed` are facts of an option that differ in this command,
    by the name of the setting.
    """
    made: list[Any] = []
    for one in settings_of(*verbs):
        if only and one.name not in only:
            continue
        if one.option:
            made.append(_option(one, verbs, changed.get(one.name, {})))
        if one.name == "workers":
            made.append(cluster)
    return stack(*made)


def taken_by(verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a command was given, without settings of its other verbs; those that were set do not go.

    For a command that asks one verb or another, by its options.
    """
    taken = dict(given)
    for one in every_setting():
        if one.keyword in taken and verb not in one.verbs:
            value = taken.pop(one.keyword)
            if value != one.default:
                raise click.UsageError(f"{one.option} does not go with the other options here.")
    return taken


def _option(one: Declared, verbs: Sequence[str], changed: Mapping[str, Any]) -> Any:
    """One setting as an option, under the keyword that the verb knows."""
    verb = next(verb for verb in verbs if verb in one.verbs)
    default = one.default_of(verb)
    facts: dict[str, Any] = {
        "help": one.help_of(verb),
        "default": default,
        "callback": _checking(one),
    }
    if one.name == "workers":
        facts |= {"type": click.IntRange(min=1), "default": None, "callback": where}
    elif one.read is not None:
        facts |= {"metavar": one.metavar, "callback": _reading(one.read), "multiple": one.several}
    elif one.words:
        facts["type"] = click.Choice(one.words)
    elif bool in one.kinds:
        both = "/" in one.option
        facts |= {} if both else {"is_flag": True, "flag_value": not default}
    elif int in one.kinds:
        facts["type"] = click.IntRange(min=one.leasts.get(verb, one.least))
    elif float in one.kinds:
        facts["type"] = float
    else:
        facts["metavar"] = one.metavar
    facts["show_default"] = facts["default"] is not None and not isinstance(default, bool)
    return click.option(one.option, one.keyword, **(facts | dict(changed)))


def _checking(one: Declared) -> Callable[..., Any]:
    """Whether a value will do, asked before any file is read."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        return value if value is None else one.checked(value, one.option.partition("/")[0])

    return callback


def _reading(read: Callable[[Any], Any]) -> Callable[..., Any]:
    """What a setting makes of its text, refused as options are."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return None if value is None else read(value)
        except AboveChanceError as refused:
            raise click.BadParameter(str(refused)) from None

    return callback


primary = click.option("--primary", metavar="MEASURE", help="The measure the study is about.")


def rates(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> float | str | dict[str, float] | None:
    """A rate from the command line: a number, the word majority, or sensitivity=.8,ppv=.5."""
    if value is None or value == "majority":
        return value
    if "=" in value:
        pairs = [part.partition("=") for part in value.split(",")]
        return {name.strip(): _share(number) for name, _, number in pairs}
    return _share(value)


def _share(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    if not 0.0 < found < 1.0:
        raise click.UsageError(
            f"--rate must lie between 0 and 1, be 'majority', or name measures as "
            f"sensitivity=.8,ppv=.5; got {value!r}."
        )
    return found


class Sections(click.Command):
    """A command whose help lists its options under what they are about."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(_section_of(parameter), []).append(record)
        for heading in (QUESTION, *SECTIONS):
            if heading in sections:
                with formatter.section(heading):
                    formatter.write_dl(sections[heading])


QUESTION = "What is asked"
DRAWS = "Draws and where they are made"
SECTIONS = {
    "Which column is what": columns,
    DRAWS: cluster,
    "What is written": stack(report, output),
}
DRAWN = ("draws", "rng", "workers", "store", "cluster")


def _section_of(parameter: click.Parameter) -> str:
    for heading, group in SECTIONS.items():
        if parameter.name in {one.name for one in _parameters(group)}:
            return heading
    if parameter.name in DRAWN:
        return DRAWS
    written = parameter.name == "full" or "--help" in parameter.opts
    return "What is written" if written else QUESTION
