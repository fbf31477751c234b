package main

import (
	"math"
	"sort"
)

// withFault copies a part's operations with a lost or doubled write, or a read that misses a completed write;
// false if the part has no write followed by a read that must show it.
func withFault(operations []operation, kind string) ([]operation, bool) {
	all := append([]operation(nil), operations...)
	sort.Slice(all, func(one, other int) bool { return all[one].CallUs < all[other].CallUs })
	plant := map[string]func([]operation, string) bool{"order": inOrder, "reward": inReward, "wallet": inWallet}[all[0].Model]
	return all, plant(all, kind)
}

// inOrder: the purchase is recorded a second time under another id, for requests after its response.
func inOrder(all []operation, kind string) bool {
	answeredUs := int64(math.MaxInt64)
	isPlanted := false
	for at, one := range all {
		if one.Output == nil || one.Output.Code != "RECORDED" {
			continue
		}
		if one.CallUs > answeredUs && kind != "stale" {
			all[at].Output = &output{Code: "RECORDED", EventID: "another"}
			isPlanted = true
		}
		answeredUs = min(answeredUs, *one.ReturnUs)
	}
	return isPlanted
}

// inReward: a read after the response to a claim or a refund still returns pending.
func inReward(all []operation, kind string) bool {
	movedUs := int64(math.MaxInt64)
	isPlanted := false
	for at, one := range all {
		if one.Output == nil {
			continue
		}
		if one.Input.Op == "read" && one.CallUs > movedUs && kind != "doubled" {
			all[at].Output = &output{Status: "PENDING"}
			isPlanted = true
			if kind == "stale" {
				return true
			}
		}
		if one.Input.Op != "read" && (one.Output.Status == "AVAILABLE" || one.Output.Status == "CANCELLED") {
			movedUs = min(movedUs, *one.ReturnUs)
		}
	}
	return isPlanted
}

// inWallet: the first completed top-up is missing from all later reads, counted twice, or missing from one
// read.
func inWallet(all []operation, kind string) bool {
	var moved *operation
	isPlanted := false
	for at, one := range all {
		if one.Output == nil {
			continue
		}
		if one.Input.Op == "top-up" {
			if moved == nil && one.Output.Code == "DONE" {
				moved = &all[at]
			}
			continue
		}
		if moved == nil || one.CallUs < *moved.ReturnUs {
			continue
		}
		amount := moved.Input.Amount
		if kind != "doubled" {
			amount = -amount
		}
		all[at].Output = &output{Balance: one.Output.Balance + amount}
		isPlanted = true
		if kind == "stale" {
			return true
		}
	}
	return isPlanted
}
