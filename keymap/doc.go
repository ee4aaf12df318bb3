// Package keymap is every key of the console. A [Place] is where the operator
// is; in each place a key means at most one [Action]. Views and the loop know
// actions only, so that keys, a palette, the mouse and command words can all
// lead to the same action and pass the same gate.
//
// Places that own text (see [Place.OwnsText]) do not inherit the keys of
// [Everywhere]: there a letter is a letter.
package keymap
