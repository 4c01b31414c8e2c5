# abovechance without installing it.
#
#   docker build -t abovechance .
#   docker run --rm -v "$PWD:/data" abovechance assess predictions.csv --outcome y --probability p
#   docker run --rm -it --network host abovechance app --no-browser
#
# The page answers only requests to a loopback address, so it needs the network of the host.
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements-uv.lock requirements-run.lock requirements-test.lock pyproject.toml README.md LICENSE ./
COPY docs/references.bib docs/references.bib
COPY src src
RUN python -m pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
    && python -m venv /opt/abovechance \
    && uv pip install --no-cache --python /opt/abovechance --require-hashes -r requirements-run.lock \
    && uv pip install --no-cache --python /opt/abovechance --no-build-isolation \
        --constraints requirements-test.lock ".[app,excel,stats]"

FROM python:3.12-slim
COPY --from=build /opt/abovechance /opt/abovechance
ENV PATH=/opt/abovechance/bin:$PATH NUMBA_CACHE_DIR=/tmp/numba
RUN useradd --create-home reader
USER reader
WORKDIR /data
ENTRYPOINT ["abovechance"]
CMD ["--help"]
