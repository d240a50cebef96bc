"""Work that goes elsewhere: worker processes, other machines, lists of independent jobs."""
