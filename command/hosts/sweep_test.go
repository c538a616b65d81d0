package hosts

import (
	"errors"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/lab"
	"github.com/spf13/cobra"
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
		{slurm("1", "1", "15", "8"), lab.Shard{}}, // every second one
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

// What is wrong with the variables is told, all of it.
func TestAutoShardSaysWhy(t *testing.T) {
	for _, c := range []struct {
		variables map[string]string
		want      string
	}{
		{map[string]string{"JOB_COMPLETION_INDEX": "x"}, "--shard auto: the variable JOB_COMPLETION_INDEX is \"x\", want a number\n--shard auto: the variable KEDGE_SHARDS is \"\", want a number: how many completions the Job has"},
		{map[string]string{"JOB_COMPLETION_INDEX": "3", "KEDGE_SHARDS": "3"}, "--shard auto: part 4 of 3"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "0", "KEDGE_SHARDS": "3"}, "--shard auto: part 0 of 3"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1", "KEDGE_SHARDS": "0"}, "--shard auto: part 1 of 0"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "y", "KEDGE_SHARDS": "x"}, "--shard auto: the variable SLURM_ARRAY_TASK_ID is \"y\", want a number\n--shard auto: the variable KEDGE_SHARDS is \"x\", want a number"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1", "KEDGE_SHARDS": "x"}, "--shard auto: the variable KEDGE_SHARDS is \"x\", want a number"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2"}, "--shard auto: the variable SLURM_ARRAY_TASK_MIN is \"\", want a number\n--shard auto: the variable SLURM_ARRAY_TASK_MAX is \"\", want a number"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "3"}, "--shard auto: the array has 2 tasks from 1 to 3, want 1-N; to repeat some tasks of one, set KEDGE_SHARDS to its N"},
	} {
		if _, err := AutoShard(func(name string) string { return c.variables[name] }); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.variables, err, c.want)
		}
	}
}

// Cells are computed by others if a flag says where; of the flags that say who computes them one is enough.
func TestOutings(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "--serve 127.0.0.1:1": "", "--queue x": "", "--shard 1/2 --workers 3": "",
		"--serve a --queue b": "[serve queue shard]", "--serve a --shard 1/2": "[serve queue shard]", "--queue b --workers 2": "[serve queue workers]",
	} {
		var f Outing
		c := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
		c.Flags().String("shard", "", "")
		c.Flags().String("workers", "", "")
		f.Offer(c)
		c.SetArgs(strings.Fields(line))
		if err := c.Execute(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
		if f.IsWanted() != (strings.Contains(line, "serve") || strings.Contains(line, "queue")) {
			t.Errorf("%s: others are wanted: %t", line, f.IsWanted())
		}
	}
	var wrong *farm.AddressError
	if _, _, err := (&Outing{queue: "nowhere"}).Begin(nil, nil); !errors.As(err, &wrong) {
		t.Errorf("an address that is none: %v", err)
	}
	if run, end, err := new(Outing).Begin(nil, nil); run == nil || err != nil {
		t.Errorf("nobody else: %v", err)
	} else {
		end(true)
	}
}
