/* SPDX-License-Identifier: BSD-3-Clause */
/* job_host.h - the service by which the engine tells the stack what the ranks agree on while MPI starts. */
#ifndef CAIRN_CONTRACTS_JOB_HOST_H
#define CAIRN_CONTRACTS_JOB_HOST_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_JOB_HOST "cairn.job_host"
#define CAIRN_JOB_HOST_VERSION 8

/* What some ranks lack. */
struct cairn_job_gap {
  const char *tool; /* NULL: these run without Cairn */
  uint32_t instance;
  const char *ranks; /* "0-2,5" */
  int many;          /* 0: one rank */
  int everywhere;    /* 1: no rank could load the tool, as the user has been told */
};

/* Where some ranks run. */
struct cairn_job_place {
  const char *node;
  const char *processors; /* "0-3,8", the system's numbers; "": not known */
  const char *ranks;
};

/* How far a rank is with what it leaves when it is ended. */
enum cairn_part_state { CAIRN_PART_NONE, CAIRN_PART_AHEAD, CAIRN_PART_BEGUN, CAIRN_PART_LEFT, CAIRN_PART_STATES };

/* What the ranks of a node tell each other of it, for any thread and signal handler. */
struct cairn_job_parts {
  void (*tell)(enum cairn_part_state own);
  void (*count)(int ranks[CAIRN_PART_STATES]); /* the other ranks, by state; each is looked at once */
};

struct cairn_job_agreed {
  int rank;                         /* of this process in MPI_COMM_WORLD */
  int leads;                        /* it is the first rank that has Cairn, which speaks for all */
  const char *run;                  /* identity of the run */
  const char *folder;               /* where its results go */
  const struct cairn_job_gap *gaps; /* [gap_count] */
  size_t gap_count;
  const char *nodes;                    /* lines "HOST RANKS" if there are several: "node7 0-3" */
  const struct cairn_job_place *places; /* [place_count]; only if this process leads */
  size_t place_count;
  const struct cairn_job_parts *parts; /* NULL: no other rank with Cairn can be told */
  int (*is_first)(uint32_t level);     /* 1: no lower rank has the layer's instance; 0: one has; -1: it is of no tool */
};

/* The ranks cannot meet: those of a program with sessions, or those that must not wait for each other. */
struct cairn_job_alone {
  int rank;
  int leads;           /* -1: not known */
  const char *lacking; /* these run without Cairn or without sessions; NULL: not known */
  int many;
};

struct cairn_job_host {
  /* What holds for all if this process leads: identity and folder, which is settled when the second is asked. */
  const char *(*run)(void);
  const char *(*settle_folder)(void);
  /* One of these two, once, in MPI_Init or the first MPI_Session_init. Everything in `agreed` stays valid. */
  void (*agreed)(const struct cairn_job_agreed *agreed);
  void (*alone)(const struct cairn_job_alone *alone);
  /* 1: MPI_Init may wait for ranks of which nothing tells whether they have Cairn; 0: these tools are not worth that. */
  int (*may_wait)(void);
  /* This rank has been waiting for others for long. On a thread of its own. */
  void (*waits)(int rank);
  /* The MPI library's own function of this name ("MPI_Send"), whatever PMPI tool lies in front of it; NULL: it has
   * none. */
  void *(*library_function)(const char *name);
};

#endif
