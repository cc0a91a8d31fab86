"""The state machine: state, services, wiring and the runner."""
