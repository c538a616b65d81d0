package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/device"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/internal/bench/served"
	"github.com/kedge-opt/kedge/lab"
	"github.com/spf13/cobra"
)

func newBench() *cobra.Command {
	var w bench.Workbench
	var db, where string
	var asJSON, memory, scaling, service bool
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine runs kedge",
		Long: `Run a fixed list of workloads and print what they take: turns of the case studies with everything measured every turn,
steps of small and large crowds, the exact steady state, and a triad a[i] = b[i] + s·c[i] over the same memory to compare with.

Figures are medians over rounds on one core; "two workers" is the same with two. A machine that does other work at the same time shows between median and best.

With --service the decision service is measured instead, on this disk and over the loopback: durable tells, waiting times under load, turns,
memory of many loops, watchers, a cold start and a replay, each beside a yardstick of the same run. It takes a quarter of an hour;
--skip-large takes a tenth of the loops, watchers and events. Optuna's database storage is measured beside it where KEDGE_PYTHON has it, and PostgreSQL where
Debian's package is. --db measures that alone: on a database that is there, in a schema that is removed again, or on one that is started for it (own).

With --device gpu large crowds are measured on an NVIDIA GPU instead: a step, the settled value, both in one pass, a whole turn of the composite rule with
everything measured, and the exact gradient, beside a copy within the device in the same process. See kedge devices and docs/gpu.md.`,
		Example: `  kedge bench
  kedge bench --skip-large --json
  kedge bench --scaling
  kedge bench --memory
  kedge bench --device gpu
  kedge bench --service --skip-large
  kedge bench --service --db postgres://kedge@db/kedge`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			measure := w.Speeds
			number, err := lab.DeviceNumber(where)
			if err != nil {
				return err
			}
			switch {
			case number >= 0:
				measure = w.Device(number)
			case memory:
				measure = w.Memory
			case scaling:
				measure = w.Scaling
			case service || db != "":
				measure = served.Trial{Rounds: w.Rounds, Span: 2 * time.Second, Small: w.SkipLarge, Database: db, Log: c.ErrOrStderr()}.Measure
			}
			measured, err := measure(c.Context())
			switch {
			case errors.As(err, new(*device.AbsentError)):
				return fmt.Errorf("--device %s: %w", where, err)
			case err != nil:
				return exit.Failure(err)
			case asJSON:
				return folder.WriteJSON(c.OutOrStdout(), measured)
			}
			return measured.Print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&where, "device", "cpu", "measure large crowds on this GPU instead: gpu or gpu:N")
	completeWords(c, "device", []string{"cpu", "gpu"})
	c.Flags().BoolVar(&memory, "memory", false, "print the memory an individual takes instead")
	c.Flags().BoolVar(&scaling, "scaling", false, "measure how the cost grows with people, dimension, batch and trials instead")
	c.Flags().BoolVar(&service, "service", false, "measure the decision service instead")
	c.Flags().StringVar(&db, "db", "", "measure the service by tells on this PostgreSQL database alone, as postgres://kedge@db/kedge; own: one that is started for it")
	c.Flags().BoolVar(&w.SkipLarge, "skip-large", false, "leave out crowds of ten million, which take 5 GB, and nine tenths of the service's loops")
	c.Flags().IntVar(&w.Turns, "turns", 0, "turns of a case study to time in a round; 0: a whole trial")
	c.Flags().IntVar(&w.Rounds, "rounds", 5, "rounds to take the median of")
	return c
}
