"""What has a formula instead of a loop: least squares, and the half-spaces of Gaussian classes."""
