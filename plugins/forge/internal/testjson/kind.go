package testjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
)

// kinds has the relevant fields of every kind.
type kinds struct {
	Gas       json.RawMessage
	Runs      json.RawMessage
	MeanGas   json.RawMessage `json:"mean_gas"`
	MedianGas json.RawMessage `json:"median_gas"`
	Cases     []gasCase
	Calls     json.RawMessage
	Reverts   json.RawMessage
	Metrics   map[string]metric
	BestValue json.RawMessage `json:"optimization_best_value"`
}

type gasCase struct{ Gas, Stipend json.RawMessage }

type metric struct{ Calls, Reverts, Discards json.RawMessage }

func decodeKind(raw []byte) Kind {
	if gas, ok := bytes.CutPrefix(raw, []byte(`{"Unit":{"gas":`)); ok { // most tests
		if gas = bytes.TrimSuffix(gas, []byte("}}")); isDigits(gas) {
			return Kind{Name: "Unit", Gas: string(gas)}
		}
	}
	var named map[string]json.RawMessage
	if json.Unmarshal(raw, &named) != nil {
		if gas := parseWhole(raw); gas != "" {
			return Kind{Name: "Unit", Gas: gas}
		}
		return Kind{Name: decodeString(raw)}
	}
	if len(named) == 0 {
		return Kind{}
	}
	name := slices.Min(slices.Collect(maps.Keys(named))) // there is just one
	k := kindOf(name, named[name])
	if name == "Standard" {
		k.Name = "Unit"
	}
	return k
}

func kindOf(name string, raw json.RawMessage) Kind {
	if gas := parseWhole(raw); gas != "" {
		return Kind{Name: name, Gas: gas}
	}
	var f kinds
	if json.Unmarshal(raw, &f.Cases) != nil { // old versions list the cases
		_ = json.Unmarshal(raw, &f)
	}
	k := Kind{
		Name: name, Gas: parseWhole(f.Gas), Runs: parseInteger(f.Runs), Calls: parseInteger(f.Calls), Reverts: parseInteger(f.Reverts),
		Mean: parseWhole(f.MeanGas), Median: parseWhole(f.MedianGas), BestValue: parseWhole(f.BestValue),
	}
	if len(f.Cases) > 0 {
		k.Runs = int64(len(f.Cases))
		k.Mean, k.Median = meanAndMedian(f.Cases)
	}
	for _, function := range slices.Sorted(maps.Keys(f.Metrics)) {
		m := f.Metrics[function]
		k.Metrics = append(k.Metrics, Metric{Function: function, Calls: parseInteger(m.Calls), Reverts: parseInteger(m.Reverts), Discards: parseInteger(m.Discards)})
	}
	return k
}

// meanAndMedian computes what newer versions print, which excludes the stipend.
func meanAndMedian(cases []gasCase) (mean, median string) {
	values := make([]int64, 0, len(cases))
	sum := new(big.Int)
	for _, c := range cases {
		v := max(0, parseInteger(c.Gas)-parseInteger(c.Stipend))
		values = append(values, v)
		sum.Add(sum, big.NewInt(v))
	}
	slices.Sort(values)
	middle := values[len(values)/2]
	if len(values)%2 == 0 {
		before := values[len(values)/2-1]
		middle = before + (middle-before)/2
	}
	return sum.Div(sum, big.NewInt(int64(len(values)))).String(), formatDecimal(middle)
}
