"""PyTorch: the adapter for its tensors, operators of it, and gradients."""
