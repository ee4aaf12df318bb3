package main

import (
	"os"
	"os/user"
)

// actor is who acts, for the audit: the name of the OS user. The environment is
// asked only when the system has no answer; it can say anything.
func actor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return os.Getenv("USER")
}
