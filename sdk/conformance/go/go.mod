module conformance

go 1.19

require github.com/turnpike/turnpike/sdk/go v0.0.0

replace github.com/turnpike/turnpike/sdk/go => ../../go
