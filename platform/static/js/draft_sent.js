// On the page of a version: what was submitted is a draft no more.

import { forgetSent } from "./drafts.js";

forgetSent();
