// Preact with htm: the one library of the page. See vendor/README.md.

export const { html, render, useEffect, useRef, useState } = window.htmPreact;
