//go:build unix && !linux

package tui

import "syscall"

func childAttr() *syscall.SysProcAttr { return nil }

func dropInput(int) {}

func onto(from, to int) error { return syscall.Dup2(from, to) }
