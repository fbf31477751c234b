package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// models define the right response to each request of a sequence (docs/contract.md). A nil response is
// unknown: the request takes effect either way.
var models = map[string]porcupine.Model{
	"order":  model(order{}, stepOrder),
	"reward": model("UNSEEN", stepReward),
	"wallet": model(wallet{}, stepWallet),
}

// model takes states that can be compared with ==.
func model[State comparable](first State, step func(State, input, *output) (bool, State)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first },
		Step: func(state, in, out any) (bool, any) {
			return asAny(step(state.(State), in.(input), out.(*output)))
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
	}
}

func asAny[State any](isLegal bool, next State) (bool, any) { return isLegal, next }

// order is the state of an external order: nothing, or the first purchase.
type order struct{ Key, Body, EventID string }

// stepOrder: Idempotency, rules 2, 4 and 6. The event's id is taken from the first response that contains it.
func stepOrder(state order, in input, out *output) (bool, order) {
	if state == (order{}) {
		first := order{in.Key, in.Body, ""}
		if out != nil {
			first.EventID = out.EventID
		}
		return out == nil || out.Code == "RECORDED", first
	}
	if out == nil {
		return true, state
	}
	switch {
	case state.Key != in.Key:
		return out.Code == "DUPLICATE_EXTERNAL_ORDER", state
	case state.Body != in.Body:
		return out.Code == "IDEMPOTENCY_CONFLICT", state
	case state.EventID == "":
		state.EventID = out.EventID
	}
	return out.Code == "RECORDED" && out.EventID == state.EventID, state
}

// stepReward: the state table. A reward is created after the response to its purchase, or by the first
// refund, and cannot be found before that; once seen, it stays. It is also funded, and can be claimed, only
// later.
func stepReward(state string, in input, out *output) (bool, string) {
	if out != nil && out.Code == "NOT_FOUND" {
		return state == "UNSEEN", state
	}
	if state == "UNSEEN" {
		state = "PENDING"
	}
	if out != nil && out.Code == "REWARD_NOT_CLAIMABLE" {
		return state == "PENDING" || state == "CANCELLED", state
	}
	switch {
	case in.Op == "claim" && state == "PENDING":
		state = "AVAILABLE"
	case in.Op == "refund" && state == "PENDING":
		state = "CANCELLED"
	case in.Op == "refund" && state == "AVAILABLE":
		state = "ADMIN_REVIEW"
	}
	return out == nil || out.Status == state, state
}

// wallet has at most 64 references, each of which is a bit in Seen.
type wallet struct {
	Seen  uint64
	Funds int64
}

// stepWallet: a top-up moves money once per reference, and a read returns everything moved.
func stepWallet(state wallet, in input, out *output) (bool, wallet) {
	if in.Op != "top-up" {
		return out == nil || out.Balance == state.Funds, state
	}
	var number int
	fmt.Sscan(in.Key, &number)
	bit := uint64(1) << number
	if state.Seen&bit != 0 {
		return out == nil || out.Code == "REPEATED", state
	}
	return out == nil || out.Code == "DONE", wallet{state.Seen | bit, state.Funds + in.Amount}
}
