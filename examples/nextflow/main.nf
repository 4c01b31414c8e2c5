// nextflow run main.nf --predictions predictions.csv
// One assessment per model; the container of the Dockerfile serves where nothing is installed.

params.predictions = 'predictions.csv'
params.models = 'p_texture,p_forest'
params.positive = 'malignant'
params.outdir = 'results'

process ASSESS {
    publishDir params.outdir, mode: 'copy'

    input:
    tuple path(table), val(model)

    output:
    path "${model}.json"
    path "${model}.html"

    script:
    """
    abovechance assess ${table} --outcome outcome --probability ${model} \
        --positive ${params.positive} --measures auc,brier --seed 1 \
        --format json --report ${model}.html > ${model}.json
    """
}

workflow {
    models = Channel.fromList(params.models.tokenize(','))
    ASSESS(models.map { model -> tuple(file(params.predictions), model) })
}
