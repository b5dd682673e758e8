module example.com/app

go 1.22

require (
	github.com/a/b v1.2.3
	golang.org/x/c v0.1.0 // indirect
)
