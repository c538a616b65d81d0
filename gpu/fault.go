//go:build faults

package gpu

import (
	"os"
	"strconv"
)

// plannedFault is how many launches of a kernel there are until one faults, by KEDGE_FAULT_TURN for those of turns, and by KEDGE_FAULT_VERDICT; 0: none does.
func plannedFault(at int) int64 {
	n, _ := strconv.ParseInt(os.Getenv([...]string{atTurns: "KEDGE_FAULT_TURN", atVerdicts: "KEDGE_FAULT_VERDICT"}[at]), 10, 64)
	return max(0, n)
}
