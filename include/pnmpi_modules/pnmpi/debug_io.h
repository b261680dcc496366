/* SPDX-License-Identifier: BSD-3-Clause */
/* debug_io.h - how PnMPI's modules speak: [PREFIX] text, with the rank in front where there are several. */
#ifndef PNMPI_DEBUG_IO_H
#define PNMPI_DEBUG_IO_H

/* Which messages PNMPI_DBGLEVEL, a sum of these, asks for; PNMPI_DBGNODE: on which rank alone. */
typedef enum pnmpi_debug_level {
  PNMPI_DEBUG_INIT = 1,
  PNMPI_DEBUG_MODULE = 2,
  PNMPI_DEBUG_CALL = 4
} PNMPI_debug_level_t;

#ifndef PNMPI_MESSAGE_PREFIX
#define PNMPI_MESSAGE_PREFIX "PnMPI"
#endif

/* To standard output, if it is asked for. */
#ifdef PNMPI_NO_DEBUG
#define PNMPI_Debug(...)
#else
#define PNMPI_Debug(level, ...) pnmpi_print_debug(level, "[" PNMPI_MESSAGE_PREFIX "] " __VA_ARGS__)
#endif
/* To standard error. */
#define PNMPI_Warning(...) pnmpi_print_warning("[" PNMPI_MESSAGE_PREFIX "] " __VA_ARGS__)
/* To standard error, with the place; then the process exits with code 1, at which launchers end the job. */
#define PNMPI_Error(...) pnmpi_print_error(PNMPI_MESSAGE_PREFIX, __func__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((format(printf, 2, 3))) void pnmpi_print_debug(PNMPI_debug_level_t level, const char *format, ...);
__attribute__((format(printf, 1, 2))) void pnmpi_print_warning(const char *format, ...);
__attribute__((format(printf, 4, 5), noreturn)) void pnmpi_print_error(const char *prefix, const char *function,
                                                                       int line, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
