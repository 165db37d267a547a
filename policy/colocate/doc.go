// Package colocate says which jobs run on the same GPUs. A Model says how fast jobs go beside each
// other, Accepts whether they may, ChoosePacks which of them do so that what is done is worth the
// most, and Assign makes assignments of that. Policies that choose packs in another way use the rest.
package colocate
