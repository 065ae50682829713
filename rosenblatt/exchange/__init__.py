"""Models leave and come back: model files, and ONNX for other runtimes."""
