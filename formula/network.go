package formula

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Network makes a matrix of edges i, j, w: row i has the weights of the neighbours j of i, by their sum, so that its product with a vector has
// for every node the mean of its neighbours. Edges that are listed twice add up; who has no neighbours sees only itself.
func Network(edges []float64, width, nodes int) (*Value, error) {
	if width != 2 && width != 3 {
		return nil, fmt.Errorf("%d columns, want two or three: nodes i and j, and the weight of j for i", width)
	}
	w := make([]float64, nodes*nodes)
	for k := range len(edges) / width {
		e, weight := edges[k*width:(k+1)*width], 1.0
		for _, node := range e[:2] {
			if !(node >= 0 && node < float64(nodes)) || node != math.Trunc(node) {
				return nil, fmt.Errorf("edge %d: %v is no node, want whole numbers from 0 to %d", k, node, nodes-1)
			}
		}
		if width == 3 {
			weight = e[2]
		}
		if !(weight >= 0 && weight <= math.MaxFloat64/float64(nodes)) {
			return nil, fmt.Errorf("edge %d: the weight is %v, want a number from 0 on", k, weight)
		}
		w[int(e[0])*nodes+int(e[1])] += weight
	}
	for i := range nodes {
		row := w[i*nodes : (i+1)*nodes]
		sum := rows.Sum(row)
		switch {
		case math.IsInf(sum, 1):
			return nil, fmt.Errorf("the weights for node %d add up to more than a number can be", i)
		case sum > 0:
			for j := range row {
				row[j] /= sum
			}
		default:
			row[i] = 1
		}
	}
	return &Value{Shape: []int{nodes, nodes}, Data: w}, nil
}
