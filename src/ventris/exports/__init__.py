"""What was learnt, for other programs to run: ONNX graphs, hmmlearn models."""
