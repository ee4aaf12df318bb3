// Package engine runs workflows durably on a store.
package engine
