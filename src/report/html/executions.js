// SPDX-License-Identifier: Apache-2.0
// The page of `jostle verify --graph FILE.html`.

new ExecutionTree(JSON.parse(byId('data').textContent)).show(byId('tree'));
setUpTheme();
