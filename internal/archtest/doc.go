// Package archtest holds the rules of this repository as tests, so that a
// broken rule fails a build instead of waiting for a reader.
//
// A [Rule] looks at a [Tree], the files of a repository as text and syntax, and
// returns a [Finding] for each place that breaks it. The same rules run on this
// repository and on small trees in testdata that break them on purpose: a rule
// counts only once it has been seen to fail.
//
// What a rule permits by exception is written in a table beside it, with the
// reason. The tables are the place to argue about; the code that applies them is
// not.
package archtest
