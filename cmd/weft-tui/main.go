// Weft-tui is the console of weft, and the verbs that do the same without a
// terminal.
package main

func main() {}
