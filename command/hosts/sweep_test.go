package hosts

import (
	"testing"

	"github.com/kedge-opt/kedge/lab"
)

// What the variables of batch systems make of --shard auto, by their manuals: Slurm counts tasks from where the array begins, Kubernetes from 0.
func TestAutoShard(t *testing.T) {
	slurm := func(id, first, last, count string) map[string]string {
		return map[string]string{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_MIN": first, "SLURM_ARRAY_TASK_MAX": last, "SLURM_ARRAY_TASK_COUNT": count}
	}
	with := func(m map[string]string, shards string) map[string]string { m["KEDGE_SHARDS"] = shards; return m }
	for _, c := range []struct {
		variables map[string]string
		want      lab.Shard
	}{
		{slurm("1", "1", "8", "8"), lab.Shard{Index: 1, Of: 8}},
		{slurm("8", "1", "8", "8"), lab.Shard{Index: 8, Of: 8}},
		{slurm("0", "0", "7", "8"), lab.Shard{}}, // the array begins at 0
		{slurm("3", "3", "3", "1"), lab.Shard{}}, // one task is repeated: it would be all of it
		{slurm("7", "3", "7", "2"), lab.Shard{}}, // has gaps
		{with(slurm("7", "3", "7", "2"), "8"), lab.Shard{Index: 7, Of: 8}},
		{with(slurm("9", "9", "9", "1"), "8"), lab.Shard{}},
		{slurm("x", "1", "8", "8"), lab.Shard{}},
		{slurm("2", "1", "", ""), lab.Shard{}},
		{map[string]string{"JOB_COMPLETION_INDEX": "0", "KEDGE_SHARDS": "8"}, lab.Shard{Index: 1, Of: 8}},
		{map[string]string{"JOB_COMPLETION_INDEX": "7", "KEDGE_SHARDS": "8"}, lab.Shard{Index: 8, Of: 8}},
		{map[string]string{"JOB_COMPLETION_INDEX": "8", "KEDGE_SHARDS": "8"}, lab.Shard{}},
		{map[string]string{"JOB_COMPLETION_INDEX": "0"}, lab.Shard{}},
		{map[string]string{"JOB_COMPLETION_INDEX": "-1", "KEDGE_SHARDS": "8"}, lab.Shard{}},
		{nil, lab.Shard{}},
	} {
		got, err := AutoShard(func(name string) string { return c.variables[name] })
		if got != c.want || (err == nil) != (c.want.Of > 0) {
			t.Errorf("%v: %+v, %v, want %+v", c.variables, got, err, c.want)
		}
	}
}
