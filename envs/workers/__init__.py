"""Work that goes elsewhere: worker processes, a Ray cluster, lists of independent jobs."""
