package tui

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestMakeRoomKeepsWhatTheEnvironmentSays: in processes of their own, for there is
// one room for each.
func TestMakeRoomKeepsWhatTheEnvironmentSays(t *testing.T) {
	if os.Getenv("WEFT_TEST_ROOM") != "" {
		MakeRoom()
		MakeRoom()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		fmt.Printf("\nroom: %d procs, gc %d, heap of 32 MiB %t\n", runtime.GOMAXPROCS(0), debug.SetGCPercent(100), mem.HeapAlloc > roomHeap)
		return
	}
	procs := max(8, runtime.NumCPU())
	tests := map[string]struct {
		env  []string
		want string
	}{
		"nothing set":    {nil, fmt.Sprintf("%d procs, gc 100, heap of 32 MiB true", procs)},
		"GOMAXPROCS set": {[]string{"GOMAXPROCS=3"}, "3 procs, gc 100, heap of 32 MiB true"},
		"GOGC set":       {[]string{"GOGC=50"}, fmt.Sprintf("%d procs, gc 50, heap of 32 MiB false", procs)},
		"GOGC off":       {[]string{"GOGC=off"}, fmt.Sprintf("%d procs, gc -1, heap of 32 MiB false", procs)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestMakeRoomKeepsWhatTheEnvironmentSays$")
			for _, v := range os.Environ() {
				if !strings.HasPrefix(v, "GOMAXPROCS=") && !strings.HasPrefix(v, "GOGC=") {
					cmd.Env = append(cmd.Env, v)
				}
			}
			cmd.Env = append(append(cmd.Env, "WEFT_TEST_ROOM=1"), tc.env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), "room: "+tc.want+"\n") {
				t.Errorf("got %s, want %s", out, tc.want)
			}
		})
	}
}
