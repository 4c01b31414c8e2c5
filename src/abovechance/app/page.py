"""The page itself: one HTML file with its style and script inside."""

from functools import cache

from markupsafe import Markup

from abovechance.reports.html import digest, report_script, style_sheet


@cache
def page() -> tuple[str, str]:
    """The HTML of the page, and the policy that lets only its own script run."""
    from importlib.resources import files

    from jinja2 import Environment, PackageLoader

    folder = files("abovechance.app") / "templates"
    script = (folder / "app.js").read_text("utf-8")
    style = style_sheet() + (folder / "app.css").read_text("utf-8")
    # a report shown within the page is held to the page's policy as well as to its own
    own, framed = digest(script), digest(report_script())
    policy = (
        f"default-src 'none'; script-src 'sha256-{own}' 'sha256-{framed}'; "
        "style-src 'unsafe-inline'; "
        "connect-src 'self'; frame-src blob:; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    template = Environment(loader=PackageLoader("abovechance.app"), autoescape=True).get_template(
        "app.html"
    )
    return template.render(style=Markup(style), script=Markup(script)), policy
