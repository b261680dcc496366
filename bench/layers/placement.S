/* SPDX-License-Identifier: BSD-3-Clause */
/* placement.S - linked in front of a layer: moves its code, its GOT and its data by CAIRN_PLACE times six cache lines. */
/*
 * Ten copies of one library have every wrapper and every GOT entry at the same offset in a page, so all ten compete for
 * one set of the first-level caches, and a benchmark of them measures that. Real tools differ; so do these.
 */
    .set distance, CAIRN_PLACE * 6 * 64

    .text
    .skip distance

    .section .got, "aw", %progbits
    .skip distance

    .data
    .skip distance

    .section .note.GNU-stack, "", %progbits
