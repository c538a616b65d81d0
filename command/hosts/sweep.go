package hosts

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/kedge-opt/kedge/farm"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/spf13/cobra"
)

// Outing is the flags of kedge sweep that have other processes compute its cells.
type Outing struct{ serve, queue string }

// Offer offers the flags.
func (f *Outing) Offer(c *cobra.Command) {
	c.Flags().StringVar(&f.serve, "serve", "", "have workers compute the cells: serve a queue on this address, as 127.0.0.1:4222, and print the command of a worker")
	c.Flags().StringVar(&f.queue, "queue", "", "have workers compute the cells: by the NATS server at this address, or @FILE that holds it")
	c.MarkFlagsMutuallyExclusive("serve", "queue", "shard")
	c.MarkFlagsMutuallyExclusive("serve", "queue", "workers")
}

// IsWanted tells whether others are to compute the cells.
func (f *Outing) IsWanted() bool { return f.serve != "" || f.queue != "" }

// Sweeper runs a sweep, as lab.Sweep does.
type Sweeper func(ctx context.Context, w *family.Sweep, c *folder.Taken, o lab.SweepOptions) (*folder.SweepResult, error)

// Begin returns who runs the sweep in a folder that was taken for it, and how that is ended; what somebody should know is told, line by line.
// An error is a mistake of the flags.
func (f *Outing) Begin(c *folder.Taken, told func(line string)) (run Sweeper, end func(isFinished bool), err error) {
	o := farm.QueueOptions{Told: told}
	switch {
	case f.queue != "":
		if o.Address, err = farm.ParseAddress(f.queue); err != nil {
			return nil, nil, err
		}
	case f.serve != "":
		if o.Embedded, err = farm.Serve(filepath.Join(c.Dir(), ".kedge", "queue"), f.serve); err != nil {
			return nil, nil, err
		}
		told("on every host: kedge worker --queue '" + o.Embedded.Address.Text() + "'")
		told("where this folder is shared: kedge worker --queue @" + o.Embedded.URLFile)
	default:
		return lab.Sweep, func(bool) {}, nil
	}
	run = func(ctx context.Context, w *family.Sweep, c *folder.Taken, s lab.SweepOptions) (*folder.SweepResult, error) {
		o.SweepOptions = s
		return farm.Sweep(ctx, w, c, o)
	}
	return run, func(isFinished bool) {
		if o.Embedded != nil {
			o.Embedded.Stop(isFinished)
		}
	}, nil
}

// AutoShard is the part of a sweep that a task of a Slurm array or of an indexed Kubernetes Job computes. KEDGE_SHARDS says how many parts there are: a Job does not tell
// its tasks, and an array of which some tasks are repeated tells them the number of those.
func AutoShard(variable func(name string) string) (lab.Shard, error) {
	switch {
	case variable("SLURM_ARRAY_TASK_ID") != "":
		return slurmShard(variable)
	case variable("JOB_COMPLETION_INDEX") != "":
		index, err := number(variable, "JOB_COMPLETION_INDEX")
		of, err2 := number(variable, "KEDGE_SHARDS")
		if err2 != nil {
			err2 = fmt.Errorf("%w: how many completions the Job has", err2)
		}
		return checked(index+1, of, errors.Join(err, err2))
	}
	return lab.Shard{}, errors.New("--shard auto: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set, so this is no task of a Slurm array or of an indexed Kubernetes Job; want a part, as in --shard 2/8")
}

func number(variable func(name string) string, name string) (int, error) {
	text := variable(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--shard auto: the variable %s is %q, want a number", name, text)
	}
	return n, nil
}

func slurmShard(variable func(name string) string) (lab.Shard, error) {
	id, err := number(variable, "SLURM_ARRAY_TASK_ID")
	if variable("KEDGE_SHARDS") != "" {
		of, err2 := number(variable, "KEDGE_SHARDS")
		return checked(id, of, errors.Join(err, err2))
	}
	count, err2 := number(variable, "SLURM_ARRAY_TASK_COUNT")
	first, err3 := number(variable, "SLURM_ARRAY_TASK_MIN")
	last, err4 := number(variable, "SLURM_ARRAY_TASK_MAX")
	if err = errors.Join(err, err2, err3, err4); err == nil && (first != 1 || last != count) {
		err = fmt.Errorf("--shard auto: the array has %d tasks from %d to %d, want 1-N; to repeat some tasks of one, set KEDGE_SHARDS to its N", count, first, last)
	}
	return checked(id, count, err)
}

func checked(index, of int, err error) (lab.Shard, error) {
	if err == nil && (index < 1 || index > of) {
		err = fmt.Errorf("--shard auto: part %d of %d", index, of)
	}
	if err != nil {
		return lab.Shard{}, err
	}
	return lab.Shard{Index: index, Of: of}, nil
}
