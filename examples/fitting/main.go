// Command fitting makes the log of docs/fitting-shop.md: customers of a shop who were offered discounts, and what they spent. Some weeks of theirs
// are missing, some joined late or left, some fields are empty.
//
//	go run ./examples/fitting > examples/fitting/shop.csv
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kedge-opt/kedge/stream"
)

// What the log is made with: what stays of a week's spending, what somebody spends without a discount, what members of the plan spend more, and what a
// discount of everything would add.
const (
	habit = 0.7
	base  = 20.0
	perk  = 6.0
	pull  = 80.0
	noise = 2.0
)

const (
	customers = 48
	weeks     = 18
)

func main() {
	w := bufio.NewWriter(os.Stdout)
	write(w)
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the log, week by week.
func write(w io.Writer) {
	s := stream.New(18, "examples", "shop")
	regions := []string{"north", "south", "west"}
	plans, joined, left, spend := make([]string, customers), make([]int, customers), make([]int, customers), make([]float64, customers)
	for i := range customers {
		plans[i], left[i], spend[i] = "basic", weeks, 18+float64(8*s.Float64())
		if s.Float64() < 0.4 {
			plans[i] = "plus"
		}
		if s.Float64() < 0.3 {
			joined[i] = s.Intn(8)
		}
		if s.Float64() < 0.2 {
			left[i] = weeks - 1 - s.Intn(6)
		}
	}
	fmt.Fprintln(w, "customer,region,plan,week,discount,spend")
	for t := range weeks {
		date := time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*t).Format(time.DateOnly)
		offers := map[string]float64{}
		for _, r := range regions {
			offers[r] = float64(5*s.Intn(7)) / 100
		}
		for i := range customers {
			region := regions[i%len(regions)]
			member := 0.0
			if plans[i] == "plus" {
				member = 1
			}
			rest := base + float64(perk*member) + float64(pull*offers[region])
			spend[i] = max(0, float64(habit*spend[i])+float64((1-habit)*rest)+float64(noise*s.Normal()))
			shown, skipped := fmt.Sprintf("%.2f", spend[i]), s.Float64()
			if t < joined[i] || t >= left[i] || skipped < 0.08 {
				continue
			}
			if skipped > 0.995 {
				shown = ""
			}
			fmt.Fprintf(w, "c%02d,%s,%s,%s,%.2f,%s\n", i+1, region, plans[i], date, offers[region], shown)
		}
	}
}
