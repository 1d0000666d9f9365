"""Reading what was built: samples, rows of a unit, batches for training. numpy is enough."""
