// Package tui is the full-screen console: it drives any [Console] from a
// terminal. The key table is package keymap, what is drawn is package views;
// this package holds the loop between them, the forms and the way out.
//
// # Acts
//
// A key, a choice of the palette and a command all become an action, and every
// action passes one gate that does it or says why not. What a dialog would act
// on is frozen when it opens; what it says follows the truth, and a new truth
// wants a new key press. Nothing is accepted that was pressed before it could be
// read, held down, pasted or clicked.
package tui
