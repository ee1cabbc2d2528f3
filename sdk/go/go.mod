module github.com/turnpike/turnpike/sdk/go

go 1.19
