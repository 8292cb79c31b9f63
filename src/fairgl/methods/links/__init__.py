"""Link predictors, one file each."""
