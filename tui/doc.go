// Package tui is the full-screen console: it drives any [Console] from a
// terminal. The key table is package keymap, what is drawn is package views;
// this package holds the loop between them, the forms and the way out.
package tui
