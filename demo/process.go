package demo

// process is a process of this machine. The zero process is none.
type process struct {
	Pid int `json:"pid"`
	// Started tells it from a later process that got the same number. Its form
	// is the system's.
	Started string `json:"started"`
}
