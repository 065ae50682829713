"""What the data and a run prove: separability, margins, mistake bounds, each with a proof that can be checked."""
