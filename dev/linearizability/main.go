// Command linearizability reads a history of requests and responses, one JSON object per line, and checks
// whether some order of the requests, each at a moment between its start and its response, explains every
// response. Porcupine searches for the order; the models in this folder define the right response of each
// request.
//
//	linearizability [-plant lost|doubled|stale] history.jsonl
//
// It prints the result as JSON, and exits with 1 if a part has no such order. With -plant it first plants a
// fault of that kind in every part that has a place for it, and exits with 1 after finding them all.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// patience limits the time for one part; parts that take longer are counted as undecided.
const patience = 20 * time.Second

// operation is one request with its response, as recorded by the proof. Times are microseconds since its
// start.
type operation struct {
	Model  string `json:"model"`
	Part   string `json:"part"`
	Client int    `json:"client"`
	CallUs int64  `json:"callUs"`
	// ReturnUs is absent without a response, or if the response leaves the outcome open.
	ReturnUs *int64 `json:"returnUs"`
	// During names the event that was happening to the replica set, if any.
	During string  `json:"during"`
	Input  input   `json:"input"`
	Output *output `json:"output"`
}

type input struct {
	Op string `json:"op"`
	// Of an order: the idempotency key and the body. Of a wallet: the reference.
	Key    string `json:"key"`
	Body   string `json:"body"`
	Amount int64  `json:"amount"`
}

type output struct {
	Code string `json:"code"`
	// Of an order: the event in the response. Of a reward: its status. Of a wallet: its funds.
	EventID string `json:"eventId"`
	Status  string `json:"status"`
	Balance int64  `json:"balance"`
}

type part struct{ Model, Part string }

// stale is a part that has an order once the reads made during an event are left out. A newly elected primary
// may return less than its predecessor until it has committed something itself.
type stale struct {
	Part   string   `json:"part"`
	During []string `json:"during"`
}

type found struct {
	Parts      int            `json:"parts"`
	Operations int            `json:"operations"`
	Unanswered int            `json:"unanswered"`
	ByModel    map[string]int `json:"byModel"`
	Planted    int            `json:"planted"`
	Illegal    []string       `json:"illegal"`
	Stale      []stale        `json:"stale"`
	Undecided  []string       `json:"undecided"`
}

func main() {
	plant := flag.String("plant", "", "a fault to plant first: lost, doubled or stale")
	flag.Parse()
	history, err := read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *plant != "" && !contains([]string{"lost", "doubled", "stale"}, *plant) {
		fmt.Fprintln(os.Stderr, "unknown fault:", *plant)
		os.Exit(2)
	}
	result := check(history, *plant)
	text, _ := json.Marshal(result)
	fmt.Println(string(text))
	if len(result.Illegal)+len(result.Stale)+len(result.Undecided) > 0 {
		os.Exit(1)
	}
}

func check(history map[part][]operation, plant string) found {
	result := found{ByModel: map[string]int{}, Illegal: []string{}, Stale: []stale{}, Undecided: []string{}}
	for _, of := range sorted(history) {
		operations := history[of]
		if plant != "" {
			planted, ok := withFault(operations, plant)
			if !ok {
				continue
			}
			operations = planted
			result.Planted++
		}
		result.Parts++
		result.Operations += len(operations)
		result.ByModel[of.Model] += len(operations)
		for _, one := range operations {
			if one.ReturnUs == nil {
				result.Unanswered++
			}
		}
		name := of.Model + " " + of.Part
		switch porcupine.CheckOperationsTimeout(models[of.Model], asPorcupines(operations), patience) {
		case porcupine.Illegal:
			if settled, during := withoutUnsettledReads(operations); len(during) > 0 &&
				porcupine.CheckOperationsTimeout(models[of.Model], asPorcupines(settled), patience) == porcupine.Ok {
				result.Stale = append(result.Stale, stale{name, during})
			} else {
				result.Illegal = append(result.Illegal, name)
			}
		case porcupine.Unknown:
			result.Undecided = append(result.Undecided, name)
		}
	}
	return result
}

// withoutUnsettledReads leaves out the reads made during an event, and returns the event.
func withoutUnsettledReads(operations []operation) (settled []operation, during []string) {
	for _, one := range operations {
		if one.Input.Op != "read" || one.During == "" {
			settled = append(settled, one)
		} else if !contains(during, one.During) {
			during = append(during, one.During)
		}
	}
	return settled, during
}

// asPorcupines lets a request without a response take effect at any time after its start, even after
// everything else, which amounts to never.
func asPorcupines(operations []operation) []porcupine.Operation {
	all := make([]porcupine.Operation, len(operations))
	for at, one := range operations {
		end := int64(math.MaxInt64)
		if one.ReturnUs != nil {
			end = *one.ReturnUs
		}
		all[at] = porcupine.Operation{ClientId: one.Client, Input: one.Input, Call: one.CallUs, Output: one.Output, Return: end}
	}
	return all
}

func read(file string) (map[part][]operation, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	history := map[part][]operation{}
	lines := bufio.NewScanner(opened)
	for lines.Scan() {
		var one operation
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, err
		}
		if _, known := models[one.Model]; !known {
			return nil, fmt.Errorf("there is no model of a %s", one.Model)
		}
		of := part{one.Model, one.Part}
		history[of] = append(history[of], one)
	}
	return history, lines.Err()
}

func sorted(history map[part][]operation) []part {
	parts := make([]part, 0, len(history))
	for of := range history {
		parts = append(parts, of)
	}
	sort.Slice(parts, func(one, other int) bool {
		if parts[one].Model != parts[other].Model {
			return parts[one].Model < parts[other].Model
		}
		return parts[one].Part < parts[other].Part
	})
	return parts
}

func contains(all []string, one string) bool {
	for _, each := range all {
		if each == one {
			return true
		}
	}
	return false
}
