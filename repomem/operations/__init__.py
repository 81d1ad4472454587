"""One module per verb; the only place that knows the order of the stages."""
