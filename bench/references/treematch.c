// SPDX-License-Identifier: BSD-3-Clause
// treematch.c - maps a matrix onto a balanced tree with TreeMatch; ../placement.py compiles it together with the
// library's sources, which are not part of Cairn
//
//   treematch FILE ARITY...   FILE: ranks, then pairs of ranks from 0; prints the core of each rank

#include <stdio.h>
#include <stdlib.h>

#include <treematch.h>

static double** read_pairs(const char* path, int* ranks) {
  FILE* file = fopen(path, "r");
  int a = 0;
  int b = 0;
  if (file == NULL || fscanf(file, "%d", ranks) != 1) exit(1);
  double** matrix = malloc((size_t)*ranks * sizeof *matrix);
  for (int i = 0; i < *ranks; ++i) matrix[i] = calloc((size_t)*ranks, sizeof **matrix);
  while (fscanf(file, "%d %d", &a, &b) == 2) matrix[a][b] = matrix[b][a] = 1000;
  fclose(file);
  return matrix;
}

int main(int argc, char** argv) {
  int ranks = 0;
  int arity[16] = {0};
  double cost[16] = {0};
  const int levels = argc - 2;
  if (levels < 1 || levels > 15) return 2;
  double** matrix = read_pairs(argv[1], &ranks);
  for (int i = 0; i < levels; ++i) {
    arity[i] = atoi(argv[i + 2]);
    cost[i] = levels - i;
  }
  const int cores = arity[levels - 1];
  int* numbering = malloc((size_t)cores * sizeof *numbering);
  for (int i = 0; i < cores; ++i) numbering[i] = i;
  tm_set_verbose_level(0);
  tm_topology_t* topology = tm_build_synthetic_topology(arity, cost, levels + 1, numbering, cores);
  tm_affinity_mat_t* affinity = tm_build_affinity_mat(matrix, ranks);
  tm_optimize_topology(&topology);
  tm_tree_t* tree = tm_build_tree_from_topology(topology, affinity, NULL, NULL);
  tm_solution_t* solution = tm_compute_mapping(topology, tree);
  for (int i = 0; i < ranks; ++i) printf("%d\n", solution->sigma[i]);
  return 0;
}
