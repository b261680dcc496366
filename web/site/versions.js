// SPDX-License-Identifier: BSD-3-Clause
// versions.js - the list of versions in the head of the contents; the same page of another one, if it is there
'use strict';

document.addEventListener('DOMContentLoaded', () => {
  const list = document.createElement('select');
  list.setAttribute('aria-label', 'version');
  for (const version of versions) list.append(new Option(version, version, version === shownVersion, version === shownVersion));
  list.addEventListener('change', async () => {
    const path = location.pathname.split('/' + shownVersion + '/');
    const there = path[0] + '/' + list.value + '/';
    const same = there + path.slice(1).join('/');
    const found = await fetch(same, {method: 'HEAD'}).then(answer => answer.ok, () => false);
    location.href = found ? same : there + 'index.html';
  });
  document.querySelector('.wy-side-nav-search').append(list);
});
