"""Methods of the counterfactual study, one file each."""
