// Command bench measures the engine against the limit of the disk it runs on
// and prints one table. Run it on a quiet machine:
//
//	make bench
//
// Every figure is a ratio to raw@n: plain synced Pebble commits per second of
// 300 bytes by n committers, with the store's own settings. Raw and engine are
// interleaved, raw – engine – raw, five rounds; a round whose two raws differ
// by more than 15 % is void and repeated, and the median of the rounds counts.
// Absolute numbers stand beside for orientation.
package main
