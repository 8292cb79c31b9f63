"""Node classifiers, one file each."""
