/* SPDX-License-Identifier: BSD-3-Clause */
/* world_rank.h - the service by which the engine tells the stack this process's rank, where no launcher does. */
#ifndef CAIRN_ENGINE_WORLD_RANK_H
#define CAIRN_ENGINE_WORLD_RANK_H

#define CAIRN_WORLD_RANK "cairn.world_rank"
#define CAIRN_WORLD_RANK_VERSION 1

struct cairn_world_rank {
  /* To be called when MPI_Init or MPI_Init_thread has returned. */
  void (*known)(int rank);
};

#endif
