# Rscript assess.R predictions.csv
# From a data frame of R to an assessment, by reticulate.

library(reticulate)
# reticulate 1.41 and later installs abovechance for the session; an earlier one takes the Python that
# the environment variable RETICULATE_PYTHON names, or use_virtualenv("…"), with abovechance in it.
if (exists("py_require")) py_require("abovechance")

ac <- import("abovechance")

predictions <- read.csv(commandArgs(trailingOnly = TRUE)[1])
made <- ac$Binary(
  predictions$outcome,
  probability = predictions$p_forest,
  pos_label = "malignant"
)
answer <- ac$assess(made, list("auc", "brier"), rng = 1L)
cat(py_str(answer), "\n")

rows <- do.call(rbind, lapply(answer$to_dict()$estimates, function(row) {
  data.frame(
    measure = row$measure, value = row$value,
    low = row$interval$low, high = row$interval$high
  )
}))
print(rows)
