# SPDX-License-Identifier: BSD-3-Clause
# The experiments of four papers, repeated: one module each, in the order of docs/experiments.md.
