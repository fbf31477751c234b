package main

import (
	"math"
	"sort"
)

// withFault is a copy of a part's operations in which a write was lost or doubled, or a read tells what was before a
// write that had been answered; false where the part has no write with a read that must show it.
func withFault(operations []operation, kind string) ([]operation, bool) {
	all := append([]operation(nil), operations...)
	sort.Slice(all, func(one, other int) bool { return all[one].CallUs < all[other].CallUs })
	plant := map[string]func([]operation, string) bool{"order": inOrder, "reward": inReward, "wallet": inWallet}[all[0].Model]
	return all, plant(all, kind)
}

// inOrder: what was recorded is recorded once more, under another id, for whoever asks after it was answered.
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

// inReward: whoever reads after a claim or a refund was answered sees it pending.
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

// inWallet: the first top-up that was answered is missing from every later read, is there twice, or is missing from one.
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
