package pebble

func isQuota(error) bool { return false }
