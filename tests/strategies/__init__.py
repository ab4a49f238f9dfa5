"""Random scenarios for property tests, and the bridge from the oracle's settings to the product."""
