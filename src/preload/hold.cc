// SPDX-License-Identifier: BSD-3-Clause
// hold.cc - a library of one constructor, which loads the tools: it runs with the dynamic loader's lock held (binder.cc)

extern "C" __attribute__((weak)) void cairn_bind_in_loader();

__attribute__((constructor)) static void bind() {
  if (cairn_bind_in_loader != nullptr) cairn_bind_in_loader();
}
